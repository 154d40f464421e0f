def left_over(socks):
    lost = []
    for sock in socks:
        # an odd number of socks: one of them has lost its partner
        if socks.count(sock) % 2 == 1:
            if sock not in lost:
                lost.append(sock)
    return lost


number = int(input())
socks = []
for i in range(number):
    socks.append(input())

lost = left_over(socks)
print(len(lost))
for sock in lost:
    print(sock, socks.count(sock))
