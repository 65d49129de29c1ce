// The charts of a report, drawn from the results.
import type { Growth, Results, Row } from '../measure/results.ts'
import type { ChartOption, Draw } from './draw.ts'

export type Chart = { readonly file: string; readonly description: string; readonly svg: string }

const COLORS = ['#0b6e4f', '#3d5a80', '#e0a458', '#a23b72', '#8d99ae']
const text = { fontFamily: 'sans-serif', color: '#222' }

export function charts(results: Results, draw: Draw): Chart[] {
  const kept = results.rows.filter(({ reuse, server }) => reuse && !server.includes('×'))
  const at64 = kept.filter(({ connections }) => connections === 64)
  const servers = [...new Set(at64.map(({ server }) => server))]
  const loads = [...new Set(at64.map(({ load }) => load))]
  const value = (rows: readonly Row[], server: string, load: string) =>
    rows.find((row) => row.server === server && row.load === load)
  const byLoad = (figure: (row: Row) => number) =>
    servers.map((server) => ({ name: server, data: loads.map((load) => figureOr(value(at64, server, load), figure)) }))
  const connections = [...new Set(kept.map((row) => row.connections))].sort((a, b) => a - b)
  const random = kept.filter(({ load }) => load === 'random')
  const byConnections = servers.map((server) => ({
    name: server,
    data: connections.map((count) =>
      figureOr(
        random.find((row) => row.server === server && row.connections === count),
        rate,
      ),
    ),
  }))
  return [
    chart(
      draw,
      'cpu-per-request',
      'CPU microseconds of the server for each request, 64 connections',
      loads,
      byLoad(cpu),
    ),
    chart(
      draw,
      'requests-per-second',
      'Requests a second of one core, random pages, by number of connections',
      connections.map(String),
      byConnections,
    ),
    chart(draw, 'latency-p99', '99th percentile of latency in milliseconds, 64 connections', loads, byLoad(late)),
    chart(draw, 'growth', 'Against the release of 300,137 localities', growthNames, growthSeries(results.growth)),
  ]
}

const cpu = (row: Row): number => row.cpuMicros.median
const rate = (row: Row): number => row.requestsPerSecond.median
const late = (row: Row): number => row.p99.median / 1_000
const figureOr = (row: Row | undefined, figure: (row: Row) => number): number | null =>
  row === undefined ? null : Number(figure(row).toPrecision(3))

const growthNames = ['localities', 'CPU per request', 'start to first answer', 'anonymous memory', 'disk']

/** How many times the figure at the usual size each figure is. */
function growthSeries(growth: readonly Growth[]): Series[] {
  const [once] = growth
  if (once === undefined) return []
  const figures = (each: Growth) => [
    ...[each.localities, each.cpuMicros.median, each.startMilliseconds.median, each.anonymousBytes, each.diskBytes],
  ]
  const base = figures(once)
  return growth.map((each) => ({
    name: `×${each.scale}`,
    data: figures(each).map((value, index) => Number((value / (base[index] as number)).toPrecision(3))),
  }))
}

type Series = { readonly name: string; readonly data: readonly (number | null)[] }

/** On a logarithmic axis, since a thousand lies between the first and the last. */
function chart(
  draw: Draw,
  file: string,
  description: string,
  names: readonly string[],
  series: readonly Series[],
): Chart {
  const option: ChartOption = {
    animation: false,
    backgroundColor: '#fff',
    color: COLORS,
    textStyle: text,
    title: { text: description, left: 'center', top: 8, textStyle: { ...text, fontSize: 15 } },
    legend: { top: 36, itemGap: 28, data: series.map(({ name }) => name), textStyle: text },
    grid: { left: 70, right: 20, top: 80, bottom: 40 },
    xAxis: { type: 'category', data: names },
    yAxis: { type: 'log', min: (range: { min: number }) => 10 ** Math.floor(Math.log10(range.min / 2)) },
    series: series.map(({ name, data }) => ({
      type: 'bar',
      name,
      data,
      label: { show: true, position: 'top', fontSize: 9, color: '#444' },
    })),
  }
  return { file: `${file}.svg`, description, svg: draw(option) }
}
