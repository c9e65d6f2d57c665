import pytest

from loans import schedule


def test_instalments_add_up():
    parts = schedule.instalments(1000, 3)
    assert parts == [334, 333, 333]
    assert sum(parts) == 1000


def test_refuses_loans_without_time():
    with pytest.raises(ValueError, match="at least one month"):
        schedule.instalments(1000, 0)


def test_describes_equal_parts():
    assert schedule.describe(1200, 12) == "12 times 1.00"


def test_describes_one_payment():
    assert schedule.describe(1200, 1) == "12.00 at once"
