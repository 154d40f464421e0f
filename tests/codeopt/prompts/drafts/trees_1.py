    def merge(self, other, keep=None):
        by_key = {}
        for leaf in other.leaves:
            for node in leaf:
                by_key.setdefault(node.key, []).append(node.value)
        found = []
        for leaf in self.leaves:
            self.lookups += len(leaf)
            for node in leaf:
                for value in by_key.get(node.key, ()):
                    found.append((node.key, node.value, value))
        if keep is not None:
            found.sort(key=lambda row: row[0] not in keep)
        return found
