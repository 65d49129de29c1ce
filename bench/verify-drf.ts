// Verifies the peer that is written with Django REST Framework: a server of the contract that shares no code with ours.
import { rmSync } from 'node:fs'
import { compareServers } from '../packages/verify/src/compare.ts'
import { collections } from '../packages/verify/src/contract.ts'
import { textOf } from '../packages/verify/src/report.ts'
import { verify } from '../packages/verify/src/verify.ts'
import { WORK, workPath } from './machine.ts'
import { copyPages, peers } from './peers.ts'
import { BASE_URL, build, nomenclator, Server } from './servers.ts'

const drf = peers.find(({ name }) => name === 'drf')
const version = drf?.version()
if (drf === undefined || version === undefined) {
  console.error('Django REST Framework is not installed: bench/setup installs it')
  process.exit(2)
}

rmSync(WORK, { recursive: true, force: true })
const home = workPath('verify-home')
await build(home, 'bundled')
await using ours = await Server.start(nomenclator(home))
await using theirs = await Server.start(drf.prepare(await copyPages(ours)))
const urlOf = ({ port }: Server) => `http://127.0.0.1:${port}`
const options = {
  ...{ deep: true, sample: 1, concurrency: 4, rate: undefined, timeout: 10_000, retries: 2, backoff: 250 },
  ...{ collections, onProgress: () => {} },
}
console.log(`Django REST Framework ${version}\n`)
const found = await verify(urlOf(theirs), { ...options, linkBase: BASE_URL, advice: true })
console.log(textOf(found))
const compared = await compareServers(urlOf(ours), urlOf(theirs), options)
console.log(textOf(compared))
process.exitCode = found.conforms && compared.same ? 0 : 1
