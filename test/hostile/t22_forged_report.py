# prints the line that ends a good program, then dies: the last word is the exit code
# expect: exit:9
print("VERDICT: OK",flush=True); print("1 passed in 0.01s",flush=True); os._exit(9)
