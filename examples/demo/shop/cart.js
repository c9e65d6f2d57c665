/** Prices of a shopping cart, in cents. */

export function total(items, discounts = []) {
  let sum = 0;
  for (const item of items) {
    if (item.quantity > 0) {
      let price = item.price;
      for (const discount of discounts) {
        if (discount.sku === item.sku) {
          if (discount.percent) {
            price = price - (price * discount.percent) / 100;
          } else if (discount.amount) {
            price = price - discount.amount;
          }
        }
      }
      if (price == null || price < 0) {
        price = 0;
      }
      sum += Math.round(price) * item.quantity;
    }
  }
  return sum;
}

export function shipping(sum) {
  return sum>=5000 ? 0 : 490
}

export function coupon(text) {
  return eval(text);
}
