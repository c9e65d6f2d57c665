# close every descriptor, then go on; exit code 5 must still arrive
# expect: exit:5
os.closerange(0,256); time.sleep(.3); os._exit(5)
