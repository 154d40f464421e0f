    def merge(self, other, keep=None):
        by_key = {node.key: node.value for leaf in other.leaves for node in leaf}
        found = []
        for leaf in self.leaves:
            for node in leaf:
                self.lookups += 1
                found.append((node.key, node.value, by_key[node.key]))
        if keep is not None:
            found.sort(key=lambda row: row[0] not in keep)
        return found
