def fetch_all(urls, fetch):
    pages = []
    for url in urls:
        try:
            pages.append(fetch(url))
        except Exception:
            continue
    return pages
