// Who takes part, and that nobody is left out in silence.
import { expect, test } from 'bun:test'
import type { Contender } from './contender.ts'
import { whoIsHere } from './contenders.ts'

const peer = (name: string, ...missing: string[]): Contender => ({
  ...{ name, description: name, missing: () => missing, version: () => '1' },
  prepare: async () => () => ({ command: [] }),
})

test('a peer that is not installed is named, with what it lacks and how to get it', () => {
  const { present, defaultValue } = whoIsHere([peer('nginx'), peer('drf', 'django', 'gunicorn')])
  expect(present.map(({ name }) => name)).toEqual(['nginx'])
  expect(defaultValue).toEqual(['drf is left out: django, gunicorn is not installed; run bench/setup'])
})
