import { expect, it } from 'vitest';
import { withEndTags } from './html-end-tags.ts';

it.each([
  [
    '<table><tr><td>1<td>2<tr><td>3</table>',
    '<table><tr><td>1</td><td>2</td></tr><tr><td>3</td></tr></table>',
  ],
  ['<dl><dt>a<dd>b<dt>c</dl>', '<dl><dt>a</dt><dd>b</dd><dt>c</dt></dl>'],
  [
    '<table><thead><tr><th>a<tbody><tr><td>b</table>',
    '<table><thead><tr><th>a</th></tr></thead><tbody><tr><td>b</td></tr></tbody></table>',
  ],
  [
    '<select><optgroup><option>1<option>2<optgroup><option>3</select>',
    '<select><optgroup><option>1</option><option>2</option></optgroup><optgroup><option>3</option></optgroup></select>',
  ],
  ['<head><title>x</title><body>y', '<head><title>x</title></head><body>y</body>'],
  ['<head><meta a>x<p>y', '<head><meta a></head>x<p>y</p>'],
  ['<ul><li>a<ul><li>b</ul><li>c</ul>', '<ul><li>a<ul><li>b</li></ul></li><li>c</li></ul>'],
  ['<ul><li>a<p>b<li>c</ul>', '<ul><li>a<p>b</p></li><li>c</li></ul>'],
  ['<ruby>a<rp>b<rt>c</ruby>', '<ruby>a<rp>b</rp><rt>c</rt></ruby>'],
])('writes out the end tags that %j implies', (text, explicit) => {
  expect(withEndTags(text).text).toBe(explicit);
});

it.each([
  '<p>a</p><div><br><img src=x></div>',
  '<script>"<td><td>"</script>',
  '<!-- <td><td> --><svg><path/></svg>',
  '<a title="<td><td>">x</a>',
  '<td><b>x',
])('leaves %j as it is: nothing is implied, or more than end tags is missing', (text) => {
  expect(withEndTags(text).text).toBe(text);
});

it('knows the original place of every character', () => {
  const text = '<dl><dt>a<dd>b</dl>x';
  const explicit = withEndTags(text);
  expect(explicit.originalOffset(explicit.text.indexOf('b'))).toBe(text.indexOf('b'));
  expect(explicit.originalOffset(explicit.text.indexOf('x'))).toBe(text.indexOf('x'));
  expect(explicit.originalOffset(explicit.text.indexOf('</dt>') + 2)).toBe(text.indexOf('<dd>'));
});

it('takes bounded time on hostile input', () => {
  const startedAt = performance.now();
  for (const piece of ['<!--', '<a "', "<a ='", '<body>', '<dd><td>', '<b></i>']) {
    withEndTags(piece.repeat(50_000));
  }
  expect(performance.now() - startedAt).toBeLessThan(10_000);
});
