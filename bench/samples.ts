/** Source texts of about 500 lines, made of functions that differ, so that no engine can be clever about repeats. */
const functionCount = 50;

export const pythonSample = build(
  (i) => `def order_${i}(items, customer, limit = ${i}):
  """Adds up what customer number ${i} owes."""
  total=0
  for item in items:
      if item.quantity>limit and item.kind == 'book${i}':
          total += item.amount*item.quantity
      elif item.quantity == ${i}:
          total -= item.discount( customer,rate=0.${i + 1} )
  return {'total':total, 'customer' : customer.name, "count": len(items)}
`,
);

export const typescriptSample = build(
  (i) => `export function order${i}(items: Item[], customer: Customer, limit = ${i}): Order {
  let total = 0
  for (const item of items) {
    if (item.quantity>limit && item.kind === "book${i}") { total += item.amount*item.quantity }
    else if (item.quantity === ${i}) { total -= item.discount(customer, { rate: 0.${i + 1} }) }
  }
  const names = items.map( item => item.name ).filter(name => name.length > ${i})
  return { total, customer: customer.name, count: items.length, names }
}
`,
  'interface Item { quantity: number; kind: string; amount: number; name: string; discount(c: Customer, o: { rate: number }): number }\ninterface Customer { name: string }\ninterface Order { total: number; customer: string; count: number; names: string[] }\n',
);

export const goSample = build(
  (i) => `func order${i}(items []Item, limit int) int {
  total := 0
  for _, item := range items {
      if item.Quantity>limit && item.Kind == "book${i}" {
          total += item.Amount*item.Quantity
      } else if item.Quantity == ${i} { total -= item.Discount( ${i} ) }
  }
  return total
}
`,
  'package orders\n\ntype Item struct { Quantity, Amount int; Kind string }\nfunc (i Item) Discount(n int) int { return n }\n',
);

export const javaSample = build(
  (i) => `class Orders${i} {
  /** Adds up what customer number ${i} owes. */
  public int order(List<Item> items, Customer customer, int limit) {
    int total=0;
    for (Item item : items) {
      if (item.quantity>limit && item.kind.equals("book${i}")) { total += item.amount*item.quantity; }
      else if (item.quantity == ${i}) { total -= item.discount( customer,${i} ); }
    }
    return total;
  }
}
`,
  'package orders;\n\nimport java.util.List;\n',
);

function build(part: (index: number) => string, head = ''): string {
  return `${head}\n${Array.from({ length: functionCount }, (_unused, index) => part(index)).join('\n\n')}`;
}
