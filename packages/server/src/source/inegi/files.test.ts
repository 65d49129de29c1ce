// Checks which files are refused before anything is read from them.
import { describe, expect, test } from 'bun:test'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { excerpt, readAll, ScratchDirectory, zipOf } from '../../../../../test/support/inegi-file.ts'
import { OperationalError } from '../../base/operational-error.ts'
import { inegiSource } from './inegi.ts'

const inForce = { includeRetired: false }

const localities = excerpt('localidades-2025')

describe('files are refused', () => {
  const refused = async (description: string, ...files: string[]) => {
    const error = await inegiSource(files, inForce).catch((error: unknown) => error)
    expect(error).toBeInstanceOf(OperationalError)
    expect((error as OperationalError).message).toContain(description)
  }

  test('when there is none', () => refused('no file was given'))

  test('when one does not exist', async () => {
    using directory = new ScratchDirectory()
    const missing = join(directory.path, 'none.csv')
    await refused(`there is no file ${missing}`, directory.put('given.csv', localities), missing)
  })

  test('when one is a directory', async () => {
    using directory = new ScratchDirectory()
    mkdirSync(join(directory.path, 'd'))
    await refused(
      `${join(directory.path, 'd')} is a directory; give the zip or CSV file in it`,
      join(directory.path, 'd'),
    )
  })

  test('when one is no file', () => refused('/dev/null is not a file', '/dev/null'))

  test('when one is a zip without a CSV', async () => {
    using directory = new ScratchDirectory()
    const path = directory.put('x.csv', zipOf([{ name: 'x.dbf', bytes: Buffer.from('x') }]))
    await refused(`${path} holds no CSV file, only x.dbf`, path)
  })

  test('when two hold the same table, outside one zip', async () => {
    using directory = new ScratchDirectory()
    const [one, other] = [
      directory.put('a.csv', Buffer.from(localities, 'latin1')),
      directory.put('a_utf.csv', localities),
    ]
    await refused(`${one} and ${other} begin with the same row; give one of them`, one, other)
    const zip = directory.put(
      'a.zip',
      zipOf(['x.csv', 'y.csv'].map((name) => ({ name, bytes: Buffer.from(localities) }))),
    )
    await refused(`${zip}/x.csv and ${zip}/y.csv begin with the same row`, zip)
  })

  test('but not when two have a header alone', async () => {
    using directory = new ScratchDirectory()
    const [header = ''] = localities.split('\n')
    const files = ['a.csv', 'b.csv'].map((name) => directory.put(name, `${header}\n`))
    expect((await inegiSource(files, inForce)).provides).toContain('localidad')
  })

  test('when a zip turns out to be damaged while it is read', async () => {
    using directory = new ScratchDirectory()
    const path = directory.put('a.zip', zipOf([{ name: 'x.csv', bytes: Buffer.from(localities), claims: { sum: 7 } }]))
    const source = await inegiSource([path], inForce)
    await expect(readAll(source)).rejects.toThrow(`${path} cannot be read as a zip: its checksum does not match`)
  })
})
