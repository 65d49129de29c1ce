// The formats of downloads that the server has.

export type DownloadFormat = 'json' | 'ndjson' | 'csv' | 'xlsx' | 'geojson' | 'geojsonseq' | 'options' | 'xlsform'
