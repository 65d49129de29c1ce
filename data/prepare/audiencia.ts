/** Owns the audiences: the sixteen keys, with the short descriptions that this project wrote for them. */
import { type Table, table } from './table.ts'

const audiences = [
  ['administrators', 'Administradores', 'Administrators'],
  [
    'beneficiariesFundsFederalAppli',
    'Beneficiarios y solicitantes de fondos federales',
    'Beneficiaries of and applicants for federal funds',
  ],
  ['librarians', 'Bibliotecarios', 'Librarians'],
  ['counsellors', 'Consejeros y orientadores', 'Counsellors'],
  ['companies', 'Empresas', 'Companies'],
  ['students', 'Estudiantes', 'Students'],
  ['communityGroups', 'Grupos comunitarios', 'Community groups'],
  ['researchers', 'Investigadores', 'Researchers'],
  ['teachers', 'Docentes', 'Teachers'],
  ['newsMedia', 'Medios de comunicación', 'News media'],
  ['other', 'Otros', 'Other'],
  ['parentsAndFamilies', 'Padres y familias', 'Parents and families'],
  ['schoolSupportStaff', 'Personal de apoyo escolar', 'School support staff'],
  ['legislators', 'Legisladores', 'Legislators'],
  [
    'studentFinancialAidProviders',
    'Proveedores de ayuda financiera para estudiantes',
    'Providers of financial aid for students',
  ],
  ['generalPublic', 'Público en general', 'General public'],
] as const

export function audiencias(): Table {
  const records = audiences.map(([clave, descCorta, shortDesc], index) => ({
    clave,
    descCorta,
    shortDesc,
    idAudiencia: index + 1,
  }))
  return table('audiencia.csv', ['clave', 'descCorta', 'shortDesc', 'idAudiencia'], records)
}
