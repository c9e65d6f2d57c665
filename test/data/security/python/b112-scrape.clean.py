def fetch_all(urls, fetch):
    pages = []
    failed = []
    for url in urls:
        try:
            pages.append(fetch(url))
        except OSError as error:
            failed.append((url, error))
    return pages, failed
