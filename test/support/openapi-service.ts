// An app over three small releases, its document, and a good question for every operation in it.
import { createApp } from '../../src/http/app.ts'
import type { Release } from '../../src/release/release.ts'
import { answerLaterTo, type Question } from './answered.ts'
import { Documented, type DocumentedOperation } from './openapi.ts'
import { ThreeReleases, tiny } from './releases.ts'

export const OWN = 'http://127.0.0.1:8080'
const connection = { listeningUrl: OWN, peer: undefined }
const policy = { baseUrl: undefined, trustedProxies: undefined }

/** Values of path parameters that name a record of the releases. */
const [locality] = tiny.localidad
const named: Readonly<Record<string, string | number>> = {
  idPais: 484,
  idEstado: locality.idEstado,
  idMunicipio: locality.idMunicipio,
  idLocalidad: locality.idLocalidad,
  idArea: 1,
  idCampo: 11,
  idDisciplina: 1101,
  idSubdisciplina: 110101,
  idAudiencia: 1,
}

export class OpenapiService implements Disposable {
  readonly home: ThreeReleases
  readonly documented: Documented
  readonly failures: unknown[] = []
  readonly ask: (question: Question) => Promise<Response>
  /** The same of a service that cannot read its release. */
  readonly askBroken: (question: Question) => Promise<Response>

  static async create(): Promise<OpenapiService> {
    const home = await ThreeReleases.create()
    const release = home.current()
    const app = appOf(home, () => release)
    const response = await answerLaterTo(app, { target: '/api/openapi.json' }, connection)
    return new OpenapiService(home, release, new Documented((await response.json()) as object))
  }

  private constructor(home: ThreeReleases, release: Release, documented: Documented) {
    this.home = home
    this.documented = documented
    const app = appOf(
      home,
      () => release,
      (error) => this.failures.push(error),
    )
    const broken = appOf(home, () => {
      throw new Error('the release cannot be read')
    })
    this.ask = (question) => answerLaterTo(app, question, connection)
    this.askBroken = (question) => answerLaterTo(broken, question, connection)
  }

  /** The path with every part filled in; by another value where one is given. */
  pathOf({ path }: DocumentedOperation, other: Readonly<Record<string, string | number>> = {}): string {
    const values = { ...named, digest: this.home.digests[1] as string, ...other }
    return path.replace(/\{(\w+)\}/g, (_, name: string) => {
      const value = values[name as keyof typeof values]
      if (value === undefined) throw new Error(`no value is known for ${name}`)
      return encodeURIComponent(value)
    })
  }

  /** Only what must be given is given. */
  requiredQuery({ parameters }: DocumentedOperation): string {
    return parameters
      .filter((one) => one.in === 'query' && one.required === true)
      .map(({ name, example }) => `${name}=${encodeURIComponent(String(example))}`)
      .join('&')
  }

  /** A question that is answered well; with more in its query. */
  target(operation: DocumentedOperation, ...more: readonly string[]): string {
    const query = [this.requiredQuery(operation), ...more].filter((part) => part !== '').join('&')
    return query === '' ? this.pathOf(operation) : `${this.pathOf(operation)}?${query}`
  }

  [Symbol.dispose](): void {
    this.home[Symbol.dispose]()
  }
}

const appOf = (home: ThreeReleases, release: () => Release, logError: (error: unknown) => void = () => {}) =>
  createApp({ release, shelf: home.shelf, policy, logError })
