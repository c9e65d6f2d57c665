# a million writes of one byte
# expect: ok | limited | killed:output | killed:timeout
end=time.time()+4; n=0
while n<1000000 and time.time()<end: os.write(1+n%2,b"."); n+=1
print(); verdict("OK",n)
