// Who gets which cores.
import { expect, test } from 'bun:test'
import { shareCores } from './cores.ts'

const cases = [
  { name: 'two cores, one worker: one each', cores: 2, workers: 1, expected: { server: [0], load: [1], apart: true } },
  { name: 'four cores, two workers', cores: 4, workers: 2, expected: { server: [0, 1], load: [2, 3], apart: true } },
  { name: 'too few cores are shared', cores: 2, workers: 2, expected: { server: [0, 1], load: [0, 1], apart: false } },
  { name: 'a single core', cores: 1, workers: 1, expected: { server: [0], load: [0], apart: false } },
]
for (const { name, cores, workers, expected } of cases) {
  test(name, () => expect(shareCores(cores, workers)).toEqual(expected))
}
