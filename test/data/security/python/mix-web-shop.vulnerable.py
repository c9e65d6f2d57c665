from flask import Flask, request
import requests
import yaml
from jinja2 import Environment

app = Flask(__name__)
templates = Environment()


@app.route("/price")
def price():
    item = request.args["item"]
    answer = requests.get(
        "https://prices.test/" + item,
        verify=False,
        timeout=3,
    )
    rules = yaml.load(answer.text)
    return templates.from_string(rules["template"]).render(item=item)


@app.route("/discount")
def discount():
    return str(eval(request.args["formula"]))


if __name__ == "__main__":
    app.run(port=8000, debug=True)
