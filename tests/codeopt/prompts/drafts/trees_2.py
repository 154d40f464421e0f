    def merge(self, other, keep=None):
        by_key = {}
        for leaf in other.leaves:
            for node in leaf:
                by_key.setdefault(node.key, []).append(node.value)
        self.lookups += sum(map(len, self.leaves))
        shared = [node for leaf in self.leaves for node in leaf if node.key in by_key]
        found = [(node.key, node.value, value) for node in shared for value in by_key[node.key]]
        if keep is not None:
            found.sort(key=lambda row: row[0] not in keep)
        return found
