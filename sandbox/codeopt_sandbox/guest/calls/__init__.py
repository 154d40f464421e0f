"""Calls of one function of a module given as text.

Three processes, so that the code under test never runs where its time is taken and what it did is written down:

controller  reads the calls, takes the times of the others by the kernel's books, writes the answer. Never imports the
            module, and no process of the same user can read it.
importer    imports the module under test, once; forks a
worker      for each pass: gets the calls only now, makes fresh arguments, says "ready", calls when told "go", says
            "done", and shows the outcomes. Nothing that a pass leaves in memory is there in the next.

Names are bound before the module is imported, so that it cannot patch what we use.
"""
