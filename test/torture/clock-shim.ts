// Loaded before the program, in all its processes: lets the clock on the wall jump to where a file says, and time go on as it does.
import { readFileSync } from 'node:fs'

export const OFFSET_VARIABLE = 'NOMENCLATOR_TEST_CLOCK'
const LOOK_MILLISECONDS = 50

const file = process.env[OFFSET_VARIABLE]
if (file !== undefined) {
  let offset = 0
  const look = () => {
    offset = Number(readFileSync(file, 'utf8'))
  }
  look()
  setInterval(look, LOOK_MILLISECONDS).unref()
  const RealDate = Date
  const now = () => RealDate.now() + offset
  const ShiftedDate = new Proxy(RealDate, {
    apply: () => new RealDate(now()).toString(),
    construct: (target, given) => (given.length === 0 ? new target(now()) : Reflect.construct(target, given)),
    get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
  })
  Object.assign(globalThis, { Date: ShiftedDate })
}
