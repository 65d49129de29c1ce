// Figures, tables and the links of nginx, as text.
import { expect, test } from 'bun:test'
import { linkLines } from '../servers/nginx-config.ts'
import { brief, ranged } from './figures.ts'
import { markdownTable, textTable } from './text-table.ts'

test('a figure shows its range, and more digits when it is small', () => {
  const spread = (median: number) => ({ median, min: median / 2, max: median * 2 })
  expect(ranged(spread(30_000))).toBe('30,000 (15,000–60,000)')
  expect([2, 20, 2_000].map((value) => brief(spread(value)))).toEqual([
    '2.00 (1.00–4.00)',
    '20.0 (10.0–40.0)',
    '2,000 (1,000–4,000)',
  ])
})

test('tables align words to the left and figures to the right', () => {
  const table = { words: 2, head: ['load', 'server', 'n'], rows: [['hot', 'nginx', '1,000']] }
  expect(textTable(table)).toBe('load  server      n\nhot   nginx   1,000\n')
  expect(markdownTable(table)).toBe('| load | server | n |\n| --- | --- | ---: |\n| hot | nginx | 1,000 |\n')
})

test('the links of nginx follow the contract', () => {
  expect(linkLines(3, 'http://a/b')).toBe(
    [
      `1 '<http://a/b?format=api&page=2>; rel="next"';`,
      `2 '<http://a/b?format=api&page=1>; rel="prev", <http://a/b?format=api&page=3>; rel="next"';`,
      `3 '<http://a/b?format=api&page=2>; rel="prev"';`,
      '',
    ].join('\n'),
  )
  expect(linkLines(1, 'http://a/b')).toBe("1 '';\n")
})
