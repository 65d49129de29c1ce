-- The shelf: which releases there are, what they are made of, and which one is current.
CREATE SCHEMA IF NOT EXISTS nomenclator;

CREATE TABLE nomenclator.migration (
  number integer PRIMARY KEY,
  name text NOT NULL,
  applied timestamptz NOT NULL DEFAULT now()
);

-- A piece of a file, once however many files have it.
CREATE TABLE nomenclator.chunk (
  digest text PRIMARY KEY CHECK (digest ~ '^[0-9a-f]{64}$'), -- SHA-256 of its bytes before compression
  size integer NOT NULL CHECK (size > 0),                    -- before compression
  packed bytea NOT NULL,                                     -- compressed with zstd
  packed_sha256 bytea NOT NULL                               -- so that the database itself can find damage
);
-- It is compressed already.
ALTER TABLE nomenclator.chunk ALTER COLUMN packed SET STORAGE EXTERNAL;

CREATE TABLE nomenclator.entity (
  digest text PRIMARY KEY CHECK (digest ~ '^[0-9a-f]{64}$'),
  manifest text NOT NULL                                     -- its entity.json, byte for byte
);

CREATE TABLE nomenclator.entity_chunk (
  entity text NOT NULL REFERENCES nomenclator.entity ON DELETE CASCADE,
  file text NOT NULL,
  start bigint NOT NULL,                                     -- where the chunk begins in the file
  chunk text NOT NULL REFERENCES nomenclator.chunk,
  PRIMARY KEY (entity, file, start)
);
CREATE INDEX entity_chunk_chunk ON nomenclator.entity_chunk (chunk);

CREATE TABLE nomenclator.release (
  digest text PRIMARY KEY CHECK (digest ~ '^[0-9a-f]{64}$'),
  files text NOT NULL,                                       -- the files of its directory by name, as JSON
  published timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE nomenclator.release_entity (
  release text NOT NULL REFERENCES nomenclator.release ON DELETE CASCADE,
  entity text NOT NULL REFERENCES nomenclator.entity,
  PRIMARY KEY (release, entity)
);
CREATE INDEX release_entity_entity ON nomenclator.release_entity (entity);

-- One row: the pointer to the current release and what goes with it.
CREATE TABLE nomenclator.pointer (
  single boolean PRIMARY KEY DEFAULT true CHECK (single),
  generation bigint NOT NULL,                                -- one more with each change; higher where a person declares a state right
  change text NOT NULL,                                      -- the name of the last change
  chain text NOT NULL DEFAULT '',                            -- the names of the changes before it, latest first, separated by spaces
  history text NOT NULL,                                     -- as the file current of a home has it
  id_registry text NOT NULL,                                 -- as the file id-registry.json of a home has it
  changed timestamptz NOT NULL DEFAULT now(),
  changed_by text NOT NULL
);
INSERT INTO nomenclator.pointer (generation, change, history, id_registry, changed_by) VALUES (0, '', '', '', '');

-- One row: the last holder of the lock of the writers. Only the advisory lock shows if it is held.
CREATE TABLE nomenclator.writer (
  single boolean PRIMARY KEY DEFAULT true CHECK (single),
  host text NOT NULL,
  pid integer NOT NULL,
  doing text NOT NULL,
  since timestamptz NOT NULL
);
