// Golden files: what was recorded is compared, and recorded anew by `npm run record`.
import { expect } from 'bun:test'

export async function expectGolden(path: string, text: string): Promise<void> {
  if (process.env.RECORD === '1') await Bun.write(path, text)
  else expect(await Bun.file(path).text()).toBe(text)
}
