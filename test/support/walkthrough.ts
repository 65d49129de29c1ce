// A document to follow step by step: its code blocks are run in their order, and what they print is written anew.
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ran } from './command.ts'
import { type Exchange, type Shown, withResponse } from './examples.ts'
import { PROGRAM, TestDirectory } from './releases.ts'
import { eventually, Service } from './service.ts'

const BLOCK = /^```([a-z]+)\n([\s\S]*?)^```$/gm
/** The origin of the service in the document, whatever port it has here. */
const SHOWN_ORIGIN = 'http://127.0.0.1:8080'
/** The duration of a build, which differs with every run. */
const DURATION = /^Built in .* a second\.$/gm

/** A running service goes over to what became current, at its own time. */
const NOW_CURRENT = /^Release ([0-9a-f]{12}) is (?:now current|current again)\.$/m

/** The directory of a reader, with `nomenclator` on the path, and the service once it is started. */
export class Walkthrough extends TestDirectory implements AsyncDisposable {
  readonly #environment: Record<string, string>
  #exports = ''
  #service: Service | undefined

  constructor() {
    super()
    const programs = join(this.path, 'programs')
    mkdirSync(programs)
    mkdirSync(this.#work)
    writeFileSync(join(programs, 'nomenclator'), `#!/bin/sh\nexec '${PROGRAM.join("' '")}' "$@"\n`)
    chmodSync(join(programs, 'nomenclator'), 0o755)
    this.#environment = { PATH: `${programs}:${process.env.PATH}` }
  }

  get #work(): string {
    return join(this.path, 'work')
  }

  /** The document with the output of its commands and the responses to its requests. */
  async follow(document: string): Promise<string> {
    const written: string[] = []
    for (const [, language = '', block = ''] of document.matchAll(BLOCK))
      written.push(`\`\`\`${language}\n${await this.#step(language, block)}\`\`\``)
    return document.replace(BLOCK, () => written.shift() ?? '')
  }

  /** The response of the service to a request. */
  async get({ target, headers }: Exchange): Promise<Shown> {
    if (this.#service === undefined) throw new Error(`${target} is requested before anything is served`)
    const response = await fetch(`${this.#service.url}${target}`, { headers })
    const body = (await response.text()).replaceAll(this.#service.url, SHOWN_ORIGIN)
    return { status: response.status, headers: response.headers, body }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#service?.[Symbol.asyncDispose]()
    this[Symbol.dispose]()
  }

  async #step(language: string, block: string): Promise<string> {
    if (language === 'sh') await this.#script(block)
    else if (language === 'diff') this.#edit(block)
    else if (language === 'console') return this.#commands(block)
    else if (language === 'http') return withResponse(block, (exchange) => this.get(exchange))
    return block
  }

  /** Runs a script; its exports hold for all later commands, as in one terminal. */
  async #script(script: string): Promise<void> {
    const { code, err } = await this.#shell(script)
    if (code !== 0) throw new Error(`a script of the document fails: ${err}`)
    this.#exports += script.match(/^export .*\n/gm)?.join('') ?? ''
  }

  #shell(script: string) {
    return ran(['sh', '-ec', this.#exports + script], { cwd: this.#work, env: this.#environment })
  }

  async #commands(block: string): Promise<string> {
    let written = ''
    for (const [, command = ''] of block.matchAll(/^\$ (.*)$/gm))
      written += `$ ${command}\n${command === 'nomenclator serve' ? await this.#serve() : await this.#output(command)}`
    return written
  }

  async #output(command: string): Promise<string> {
    const { out } = await this.#shell(`{ ${command}\n} 2>&1`)
    await this.#untilServed(out.match(NOW_CURRENT)?.[1])
    return out.replaceAll(DURATION, '…').replaceAll(/ +$/gm, '')
  }

  async #untilServed(digest: string | undefined): Promise<void> {
    if (digest === undefined || this.#service === undefined) return
    await eventually(`release ${digest} is served`, async () => {
      const { body } = await this.get({ target: '/api/v2', headers: {} })
      return JSON.parse(body).release.digest.startsWith(digest)
    })
  }

  async #serve(): Promise<string> {
    const home = (await this.#shell('printf %s "$NOMENCLATOR_HOME"')).out
    this.#service = await Service.over({ path: home }, { flags: ['--workers', '1'] })
    const [first = ''] = this.#service.said.out.split('\n')
    return `${first.replace(this.#service.url, SHOWN_ORIGIN).trimEnd()}\n`
  }

  /** A diff names its file in the first line. Its parts begin with `@@` and are found by their lines, each at one place. */
  #edit(diff: string): void {
    const [first = '', ...parts] = diff.split(/^@@.*\n/m)
    const path = join(this.#work, first.match(/^--- (\S+)$/m)?.[1] ?? '')
    const edited = parts.reduce(
      (text, part) => {
        const [before, after] = ['+', '-'].map((left) =>
          part
            .split('\n')
            .filter((line) => line !== '' && !line.startsWith(left))
            .map((line) => `${line.slice(1)}\n`)
            .join(''),
        ) as [string, string]
        if (text.split(before).length !== 2) throw new Error(`not once in ${path}:\n${before}`)
        return text.replace(before, () => after)
      },
      readFileSync(path, 'utf8'),
    )
    writeFileSync(path, edited)
  }
}

/** A translation with the code blocks of its original. */
export function withBlocksOf(translation: string, original: string): string {
  const blocks = [...original.matchAll(BLOCK)].map(([block]) => block)
  return translation.replace(BLOCK, (block) => blocks.shift() ?? block)
}
