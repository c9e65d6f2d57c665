from flask import Flask, request
import requests
import yaml
from jinja2 import Environment, select_autoescape

app = Flask(__name__)
templates = Environment(autoescape=select_autoescape())


@app.route("/price")
def price():
    item = request.args["item"]
    answer = requests.get("https://prices.test/" + item, timeout=3)
    rules = yaml.safe_load(answer.text)
    return templates.get_template("price.html").render(item=item, rules=rules)


@app.route("/discount")
def discount():
    return str(float(request.args["factor"]) * 2)


if __name__ == "__main__":
    app.run(port=8000)
