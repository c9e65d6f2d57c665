import shutil
import urllib.request


def download(url, target):
    with urllib.request.urlopen(url) as response, open(target, "wb") as out:
        shutil.copyfileobj(response, out)
    urllib.request.urlretrieve(url + ".sig", target + ".sig")
