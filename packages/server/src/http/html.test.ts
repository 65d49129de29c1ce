// Templates: whatever is put into one comes out as text.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { type Content, html, joined } from './html.ts'

describe('a template', () => {
  const cases: readonly [name: string, content: Content, expected: string][] = [
    ['text', 'a & b', 'a &amp; b'],
    ['tags', '<b>', '&lt;b&gt;'],
    ['quotes', `"'`, '&quot;&#39;'],
    ['a number', 0, '0'],
    ['nothing', undefined, ''],
    ['what is not the case', false, ''],
    ['HTML', html`<i>${'<'}</i>`, '<i>&lt;</i>'],
    ['a list', ['<', html`<br>`, [1, undefined]], '&lt;<br>1'],
    ['10,000 letters', '"><img onerror>'.repeat(667), '&quot;&gt;&lt;img onerror&gt;'.repeat(667)],
    ['what only looks like HTML', { text: '<b>' } as never, ''],
  ]
  test.each(cases)('shows %s', (_, content, expected) => {
    const render = () => html`[${content}]`.text
    if (expected === '' && typeof content === 'object') expect(render).toThrow()
    else expect(render()).toBe(`[${expected}]`)
  })

  test('never lets a text out of its place', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const rendered = html`<a title="${text}">${text}</a>`.text
        expect(rendered.match(/[<>"]/g)?.join('')).toBe('<""><>')
      }),
    )
  })
})

test('parts are joined', () => {
  expect(html`${joined(['a', 'b', 'c'], html`<br>`)}`.text).toBe('a<br>b<br>c')
})
