// Records that contradict the expectations of their definitions are found, counted and shown by example; that is never a fault.
import { describe, expect, test } from 'bun:test'
import { disciplina, localidad, pais, subdisciplina } from '../../../../../test/support/built-in.ts'
import { code, embeds, entity, name } from '../../../../../test/support/definitions.ts'
import { releaseOf, sourceOf } from '../../../../../test/support/releases.ts'
import { catalogOf } from '../../catalog/catalog.ts'
import type { Entity, Values } from '../../catalog/entity.ts'
import { Findings } from '../../source/findings.ts'
import { contradictionKinds, entitiesOnPaths, rowCheck } from './record-findings.ts'

const parents: Readonly<Record<string, ReadonlyMap<number, Values>>> = {
  estado: new Map([1, 2].map((idEstado) => [idEstado, { idEstado }])),
  municipio: new Map([[7, { idMunicipio: 7, idEstado: 1 }]]),
  campo: new Map([[11, { idCampo: 11, cveCampo: '11' }]]),
  disciplina: new Map([[5, { idDisciplina: 5, cveDisciplina: '1101', campoCono: 11 }]]),
}

function found(entity: Entity, ...rows: readonly Values[]) {
  const findings = new Findings()
  const look = rowCheck(entity, (name) => parents[name] ?? new Map(), findings)
  for (const row of rows) look(row)
  return findings.list().map(({ kind, count, examples }) => ({ kind, count, examples }))
}

const locality = { cveLocalidad: '0001', descLocalidad: 'Asientos', idLocalidad: 3, idEstado: 1, idMunicipio: 7 }
const discipline = { cveDisciplina: '1101', descripcion: 'Lógica', idDisciplina: 5, campoCono: 11 }
const sub = { cveSubdisciplina: '110101', descripcion: 'Lógica', idSubdisciplina: 9, disciplinaCono: 5 }
const country = { cvePais: 'MEX', descPais: 'México', idPais: 484 }
const named = (descPais: string) => ({ ...country, descPais })
const one = (kind: string, example: string) => [{ kind, count: 1, examples: [example] }]
const STRAY = one('stray-blanks', 'pais 484')

const cases: readonly [name: string, entity: Entity, row: Values, found: ReturnType<typeof found>][] = [
  ['a locality in the state of its municipality', localidad, locality, []],
  [
    'a locality in another state',
    localidad,
    { ...locality, idEstado: 2 },
    one('locality-state-differs', 'localidad 7/3: 2, 1'),
  ],
  ['a discipline in its field', disciplina, discipline, []],
  [
    'a discipline outside its field',
    disciplina,
    { ...discipline, cveDisciplina: '1201' },
    one('discipline-code-outside-field', 'disciplina 5: 1201, 11'),
  ],
  ['a subdiscipline in its discipline', subdisciplina, sub, []],
  [
    'a subdiscipline outside its discipline',
    subdisciplina,
    { ...sub, cveSubdisciplina: '110201' },
    one('subdiscipline-code-outside-discipline', 'subdisciplina 9: 110201, 1101'),
  ],
  [
    'a subdiscipline outside its field too',
    subdisciplina,
    { ...sub, cveSubdisciplina: '990101' },
    [
      ...one('subdiscipline-code-outside-discipline', 'subdisciplina 9: 990101, 1101'),
      ...one('subdiscipline-code-outside-field', 'subdisciplina 9: 990101, 11'),
    ],
  ],
  [
    'a discipline whose code has that of its field only at its end',
    disciplina,
    { ...discipline, cveDisciplina: '0111' },
    one('discipline-code-outside-field', 'disciplina 5: 0111, 11'),
  ],
  ['a plain name', pais, named('El Salvador'), []],
  ['a name that begins with a blank', pais, named(' México'), STRAY],
  ['a name that ends with a blank', pais, named('México '), STRAY],
  ['a name split by two blanks', pais, named('El  Salvador'), STRAY],
  ['a name that ends with a no-break space', pais, named('México\u00a0'), STRAY],
  ['a name with a loose accent', pais, named('Me\u0301xico'), one('not-nfc', 'pais 484')],
]

test.each(cases)('%s', (_, entity, row, wanted) => expect(found(entity, row)).toEqual(wanted))

describe('ways to one ancestor', () => {
  const { expects: _, ...same } = localidad
  const unexpecting: Entity = { ...same, expects: [] }

  test('that lead to different records contradict each other, though no definition expects anything of them', () => {
    expect(found(unexpecting, locality)).toEqual([])
    expect(found(unexpecting, { ...locality, idEstado: 2 })).toEqual(
      one('references-contradict', 'localidad 7/3: 2, 1'),
    )
  })

  test.each<[string, Entity, string[]]>([
    ['as a definition expects it', localidad, ['locality-state-differs']],
    ['where none does', unexpecting, ['references-contradict']],
    ['and not where there is one way', subdisciplina, []],
  ])('are known by the kind of their finding, %s', (_, entity, kinds) =>
    expect(contradictionKinds(entity)).toEqual(kinds),
  )

  test('are read from the entities that they go through', () => {
    expect(entitiesOnPaths(localidad).map(({ name }) => name)).toEqual(['municipio'])
    expect(new Set(entitiesOnPaths(subdisciplina).map(({ name }) => name))).toEqual(new Set(['disciplina', 'campo']))
  })
})

describe('of many', () => {
  test('all are counted and the first five are shown', () => {
    const rows = Array.from({ length: 7 }, (_, at) => ({ ...named(' '.repeat(2)), idPais: at }))
    expect(found(pais, country, ...rows)).toEqual([
      { kind: 'stray-blanks', count: 7, examples: [0, 1, 2, 3, 4].map((id) => `pais ${id}`) },
    ])
  })
})

test('an expectation of a field that is not there is a mistake in the definition', () => {
  const wrong = (left: string) => ({
    ...pais,
    expects: [{ kind: 'k', description: 's', left, relation: 'equals' as const, right: 'idPais' }],
  })
  expect(() => found(wrong('idPlaneta'))).toThrow('pais has no field idPlaneta')
  expect(() => found(wrong('idPais.idPlaneta'))).toThrow('pais.idPais embeds nothing')
})

describe('lists of packages', () => {
  const town = entity({
    name: 'town',
    plural: 'towns',
    package: 'places',
    fields: { code: code('a code', /^.$/, 'a letter'), region: name('a name') },
    key: ['code'],
    code: ['code'],
  })
  const road = (more: Partial<Entity>): Entity => ({
    ...entity({
      name: 'road',
      plural: 'roads',
      package: 'places',
      fields: {
        code: code('a code', /^.$/, 'a letter'),
        'from.town': embeds(town, 'where it begins'),
        to: { ...embeds(town, 'where it ends'), optional: true },
      },
      key: ['code'],
      code: ['code'],
    }),
    ...more,
  })
  const rows = {
    town: [
      { code: 'a', region: 'x' },
      { code: 'b', region: 'y' },
    ],
    road: [
      { code: '1', 'from.town': 'a', to: 'b' },
      { code: '2', 'from.town': 'a' },
    ],
  }
  const kindsOf = async (more: Partial<Entity>) =>
    (await releaseOf(sourceOf(rows, {}, catalogOf([town, road(more)])))).manifest.findings.map(({ kind, count }) => [
      kind,
      count,
    ])

  test('may refer to two records of one list', async () => {
    expect(await kindsOf({})).toEqual([])
  })

  test('are held to what they say that they expect, of what is known', async () => {
    const expected = {
      kind: 'crosses',
      description: 'leaves its region',
      left: 'from.town.region',
      relation: 'equals',
      right: 'to.region',
    } as const
    expect(await kindsOf({ expects: [expected] })).toEqual([['crosses', 1]])
  })
})
