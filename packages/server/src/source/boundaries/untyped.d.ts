// The parts of packages without types that imports of boundaries use.
declare module 'topojson-server' {
  type Position = readonly [x: number, y: number]
  type Polygons = readonly (readonly (readonly Position[])[])[]
  type Arcs = { readonly arcs: readonly (readonly (readonly number[])[])[] }

  export function topology(objects: {
    readonly shapes: {
      readonly type: 'GeometryCollection'
      readonly geometries: readonly { readonly type: 'MultiPolygon'; readonly coordinates: Polygons }[]
    }
  }): {
    readonly arcs: readonly (readonly Position[])[]
    readonly objects: { readonly shapes: { readonly geometries: readonly Arcs[] } }
  }
}

declare module 'shapefile' {
  type Read = { readonly done: boolean; readonly value: unknown }

  export function open(
    shp: Uint8Array,
    dbf: Uint8Array,
    options: { readonly encoding: string },
  ): Promise<{ read(): Promise<Read> }>
}
