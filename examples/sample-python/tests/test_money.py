import pytest

from loans import money


@pytest.mark.parametrize(("text", "cents"), [("12.50", 1250), ("3", 300), (" 0.5 ", 50)])
def test_parses_amounts(text, cents):
    assert money.parse(text) == cents


def test_refuses_more_than_two_decimals():
    with pytest.raises(ValueError, match="more than two decimals"):
        money.parse("1.234")


def test_shows_negative_amounts():
    assert money.show(-1205) == "-12.05"
