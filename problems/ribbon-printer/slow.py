orders, questions = map(int, input().split())

# Print the ribbon, letter by letter.
ribbon = ""
for _ in range(orders):
    letter, places = input().split()
    for _ in range(int(places)):
        ribbon += letter

# Now look at it.
for _ in range(questions):
    place = int(input())
    if place <= len(ribbon):
        print(ribbon[place - 1])
    else:
        print("-")
