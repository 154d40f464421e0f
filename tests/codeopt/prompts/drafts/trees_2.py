    def merge(self, other, keep=None):
        found = []
        for leaf in self.leaves:
            for node in leaf:
                self.lookups += 1
                for other_leaf in list(other.leaves):
                    for candidate in list(other_leaf):
                        if candidate.key == node.key:
                            found.append((node.key, node.value, candidate.value))
        if keep is not None:
            found.sort(key=lambda row: row[0] not in keep)
        return found
