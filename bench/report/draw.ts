// The library that draws: ECharts writes SVG without a browser or a DOM, and brings two packages along.

export type ChartOption = Readonly<Record<string, unknown>>
export type Draw = (option: ChartOption) => string

type ECharts = {
  readonly init: (
    element: null,
    theme: null,
    how: { readonly renderer: 'svg'; readonly ssr: true; readonly width: number; readonly height: number },
  ) => {
    readonly setOption: (option: ChartOption) => void
    readonly renderToSVGString: () => string
    readonly dispose: () => void
  }
}

const SIZE = { width: 860, height: 380 }

/** The project is checked and tested without the packages of the benchmark, so the name is not known to the compiler. */
export async function loadDraw(): Promise<Draw | undefined> {
  const library: string = 'echarts'
  let echarts: ECharts
  try {
    echarts = await import(library)
  } catch {
    return undefined
  }
  return (option) => {
    const chart = echarts.init(null, null, { renderer: 'svg', ssr: true, ...SIZE })
    chart.setOption(option)
    const svg = chart.renderToSVGString()
    chart.dispose()
    return `${svg.trimEnd()}\n`
  }
}
