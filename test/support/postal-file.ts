// The file of the postal service, as it publishes it, with the settlements that a test writes down.
export const NOTICE = 'El Catálogo de prueba se proporciona para uso particular, no estando permitida su distribución.'
export const HEADER =
  'd_codigo|d_asenta|d_tipo_asenta|D_mnpio|d_estado|d_ciudad|d_CP|c_estado|c_oficina|c_CP|c_tipo_asenta|c_mnpio|id_asenta_cpcons|d_zona|c_cve_ciudad'

/** A line: postal code, settlement, kind, state and municipality in five digits, number, zone, city. */
export type PostalRow = readonly [
  code: string,
  name: string,
  kind: string,
  area: string,
  number: string,
  zone: string,
  city?: string,
]

export const postalLine = ([code, name, kind, area, number, zone, city = '']: PostalRow) =>
  [
    ...[code, name, kind, 'Municipio', 'Estado', city, '44101', area.slice(0, 2), '44101', '', '09', area.slice(2)],
    ...[number, zone, city === '' ? '' : '01'],
  ].join('|')

export const postalText = (rows: readonly PostalRow[]) => [NOTICE, HEADER, ...rows.map(postalLine), ''].join('\r\n')
