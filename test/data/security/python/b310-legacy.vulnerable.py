import urllib
import urllib2


def legacy(url, data):
    request = urllib2.Request(url, data)
    first = urllib2.urlopen(request)
    second = urllib.urlopen(url)
    return first, second
