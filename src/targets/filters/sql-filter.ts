import { escapeUTF8 } from 'entities';
import { raw, sql } from '../../platform/db/sql.ts';
import { conflict, invalid } from '../../platform/http/refusal.ts';
import { Maybe, Text } from '../../platform/http/schema.ts';
import { isWellFormed } from '../../platform/well-formed.ts';
import { type FilterSite, filterKind } from './filter-kind.ts';
import { printedExpression } from './sql-expression.ts';
import { SqlFault } from './sql-grammar.ts';

const sqlText =
  'A condition as in WHERE, over columns named `fld` and the id of a field: `fld7 = 0 AND fld1 LIKE ' +
  "'%@example.org'`. Comparisons, AND, OR, NOT, IN, BETWEEN, LIKE, ILIKE, IS NULL, arithmetic, CASE, COALESCE and a " +
  'list of functions without effects; no sub-queries, comments or `;`. Dates are Paris dates';

/** An expression in PostgreSQL's grammar over a subscriber's columns, for conditions that no other filter has. */
export const sqlFilter = filterKind({
  kind: 'sql',
  title: 'SqlFilter',
  heading: { fr: 'Filtre SQL', en: 'SQL' },
  members: { sql: Maybe(Text(8_000, sqlText)) },
  enabledMember: 'isEnabled',
  flag: 'hasSqlFilter',
  refusals: [503],
  isWrittenByUsers: true,
  example: { sql: "fld7 = 0 AND fld1 LIKE '%@example.org'" },

  needs: () => ({ sqlParser: true }),

  parse(given, site) {
    const text = given.sql?.trim() ?? '';
    if (text === '') return undefined;
    if (!isWellFormed(text)) throw invalid('sql: must be well-formed Unicode');
    try {
      printed(text, site);
    } catch (error) {
      throw error instanceof SqlFault ? invalid(`sql: ${error.message}`) : error;
    }
    return { sql: text };
  },

  // Parsed and checked at each use, against the current fields and whatever wrote the definition.
  compile(definition, site) {
    try {
      return sql`${raw(printed(definition.sql ?? '', site))}`;
    } catch (error) {
      throw error instanceof SqlFault
        ? conflict(`The SQL filter fails: ${error.message}; correct the filter and set it again`)
        : error;
    }
  },

  describe: (definition, _site, language) =>
    `<ul><li>${words[language]} <code>${escapeUTF8(definition.sql ?? '')}</code></li></ul>`,
});

const words = { fr: 'vérifie l’expression', en: 'fulfils the expression' } as const;

const printed = (text: string, site: FilterSite) => printedExpression(site.sqlParser, text, site.fields);
