def show(bids, k):
    ranking = sorted(bids, reverse=True)
    if len(ranking) < k:
        return "-"
    return ranking[k - 1]


n, k = map(int, input().split())
bids = []

for bid in input().split():
    bids.append(int(bid))
    print(show(bids, k))
