import { money } from './money.js'

export function render(cart, element) {
  var total = 0
  for (var i = 0; i < cart.length; i++) {
    if (cart[i].quantity == 0) continue
    total = total + cart[i].amount * cart[i].quantity
  }
  element.innerHTML = '<b>' + cart.owner + '</b>: ' + money(total)
}
