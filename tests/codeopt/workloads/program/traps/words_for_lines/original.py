for _ in range(int(input())):
    title = input()
    print(len(title), title[::-1])
