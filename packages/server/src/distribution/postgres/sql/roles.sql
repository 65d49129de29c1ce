-- Two roles without a login. Give them to users of your own, for example:
--   CREATE ROLE node LOGIN PASSWORD '…' IN ROLE nomenclator_reader;
--   CREATE ROLE publisher LOGIN PASSWORD '…' IN ROLE nomenclator_publisher;
-- Run this as the user who ran nomenclator shelf migrate, or as a superuser, after every migration.
DO $$ BEGIN
  CREATE ROLE nomenclator_reader NOLOGIN;
EXCEPTION WHEN duplicate_object THEN NULL;
END $$;
DO $$ BEGIN
  CREATE ROLE nomenclator_publisher NOLOGIN;
EXCEPTION WHEN duplicate_object THEN NULL;
END $$;

-- A node reads and listens, and writes nothing. LISTEN needs no permission.
GRANT USAGE ON SCHEMA nomenclator TO nomenclator_reader, nomenclator_publisher;
GRANT SELECT ON ALL TABLES IN SCHEMA nomenclator TO nomenclator_reader, nomenclator_publisher;

-- A publisher changes what is on the shelf, but not what a shelf is.
GRANT INSERT, UPDATE, DELETE ON nomenclator.chunk, nomenclator.entity, nomenclator.entity_chunk,
  nomenclator.release, nomenclator.release_entity, nomenclator.writer TO nomenclator_publisher;
GRANT UPDATE ON nomenclator.pointer TO nomenclator_publisher;
