from subprocess import check_output


def backup(target):
    check_output("/bin/chmod 700 /srv/*", shell=True)
    return check_output("/usr/bin/rsync -a /srv/* backup:", shell=True)
