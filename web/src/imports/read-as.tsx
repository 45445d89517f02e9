import { Button, NativeSelect, Switch } from '@mantine/core';
import { useWords } from '../words/words.tsx';
import type { Preview } from './mapping.ts';
import { type Reading, usePreview } from './use-preview.ts';

/** Rows that are compared under each encoding. */
const compared = 10;
const codePages = [65001, 1252] as const;

interface ReadAsProps {
  readonly file: string;
  readonly preview: Preview;
  readonly reading: Reading;
  readonly change: (next: Reading) => void;
}

/** The ways to read the file, with its first rows under each encoding. */
export function ReadAs({ file, preview, reading, change }: ReadAsProps) {
  const { words } = useWords();
  const texts = words.imports;
  const separators: Readonly<Record<string, string>> = texts.separators;
  const known = preview.columnDelimiter in separators;
  return (
    <section className="card" id="read-as" aria-label={texts.readAs}>
      <div className="card-body stack" style={{ paddingTop: 14 }}>
        <div className="reading">
          {preview.isWorkbook ? (
            <NativeSelect
              label={texts.sheet}
              value={preview.sheetName ?? ''}
              data={[...new Set([...preview.sheetNames, preview.sheetName ?? ''])]}
              onChange={(event) => change({ sheetName: event.currentTarget.value })}
            />
          ) : (
            <>
              <NativeSelect
                label={texts.encoding}
                value={String(preview.codepage)}
                data={Object.entries(texts.encodings).map(([value, label]) => ({ value, label }))}
                onChange={(event) => change({ codepage: Number(event.currentTarget.value) })}
              />
              <NativeSelect
                label={texts.separator}
                value={preview.columnDelimiter}
                data={[
                  ...Object.entries(separators).map(([value, label]) => ({ value, label })),
                  ...(known ? [] : [{ value: preview.columnDelimiter, label: preview.columnDelimiter }]),
                ]}
                onChange={(event) => change({ columnDelimiter: event.currentTarget.value })}
              />
            </>
          )}
          <Switch
            label={texts.header}
            checked={preview.columnNamesFirstLine}
            onChange={(event) => change({ columnNamesFirstLine: event.currentTarget.checked })}
          />
        </div>
        {!preview.isWorkbook && (
          <div className="halves">
            {codePages.map((codepage) => (
              <UnderCodePage
                key={codepage}
                {...{ file, codepage, reading, change }}
                isChosen={preview.codepage === codepage}
              />
            ))}
          </div>
        )}
      </div>
    </section>
  );
}

/** The first rows of the file in one encoding: names with accents show which one is right. */
function UnderCodePage({ file, codepage, reading, isChosen, change }: UnderCodePageProps) {
  const { words } = useWords();
  const texts = words.imports;
  const { data } = usePreview(file, { ...reading, codepage });
  const name = texts.encodings[codepage];
  return (
    <div style={{ minWidth: 0 }}>
      <p className="row strong small">
        {name}
        {isChosen ? (
          <span className="pill">{texts.chosen}</span>
        ) : (
          <Button size="xs" onClick={() => change({ codepage })}>
            {texts.readIn(name)}
          </Button>
        )}
      </p>
      <ul className="read-rows mono text-2">
        {data?.rows.slice(0, compared).map((row, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the rows never move
          <li key={at} className="cut">
            <bdi>{row.join('  ')}</bdi>
          </li>
        ))}
      </ul>
    </div>
  );
}
interface UnderCodePageProps extends Pick<ReadAsProps, 'file' | 'reading' | 'change'> {
  readonly codepage: (typeof codePages)[number];
  readonly isChosen: boolean;
}
