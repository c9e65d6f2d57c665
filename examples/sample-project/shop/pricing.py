"""What an order costs."""

from shop.orders import Order


def price( order:Order,customer,coupons = [] ):
    total=0
    for line in order.lines:
        if line.quantity>0:
            if line.kind == "book":
                if customer.is_student:
                    total += line.amount*line.quantity*0.8
                else:
                    total += line.amount*line.quantity
            elif line.kind == "food":
                total += line.amount*line.quantity*0.95 if customer.is_member and line.quantity > 3 else line.amount*line.quantity
            else:
                for coupon in coupons:
                    if coupon.kind == line.kind and (coupon.limit == None or coupon.used < coupon.limit):
                        total += line.amount*line.quantity*(1-coupon.rate)
                        break
                else:
                    total += line.amount*line.quantity
    if customer.is_member and total > 100 or customer.is_staff:
        total = total*0.9
    return round(total,2)
