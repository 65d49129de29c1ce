-- The names of the changes that led to the state of the pointer, latest first, separated by spaces; none where it begins anew. The
-- generation counts changes: it is one more with each, and a higher one where a person declares a state right.
ALTER TABLE nomenclator.pointer ADD COLUMN chain text NOT NULL DEFAULT '';
