import { NativeSelect } from '@mantine/core';
import { isOfProvider, type PeopleFigure } from './people-figure.ts';
import { type Scope, useLinks, useProviders } from './report-data.ts';
import { useReportWords } from './report-words.ts';

/** What limits the people of a figure. */
export type PeopleLimits = Partial<Pick<PeopleFigure, 'ids' | 'idFai' | 'idLink'>>;

interface LimitsProps {
  readonly figure: PeopleFigure;
  readonly scope: Scope;
  readonly limits: PeopleLimits;
  readonly set: (limits: PeopleLimits) => void;
}

/** Limits the people of a figure to a segment, a provider and a link, each where the figure has several. */
export function Limits({ figure, scope, limits, set }: LimitsProps) {
  const report = useReportWords();
  const providers = useProviders(scope).data?.flatMap((one) => one.providers) ?? [];
  const isOfLinks = figure.source === 'nbClickers' || figure.source === 'nbHumanClickers';
  const links = useLinks(scope, isOfLinks).data ?? [];
  const counted = scope.sendings.filter(({ idSent }) => figure.ids.includes(idSent));
  const segments = new Map<number, { label: string; ids: number[] }>();
  for (const { idSending, idSent, filterName } of counted)
    segments.set(idSending, {
      label: filterName,
      ids: [...(segments.get(idSending)?.ids ?? []), idSent],
    });
  const choices = {
    ids: [...segments.values()].map(({ label, ids }) => ({ value: ids.join(' '), label })),
    idFai:
      isOfProvider(figure) && figure.idFai === undefined
        ? [...new Map(providers.map(({ idFai, isp }) => [idFai, isp]))].map(([id, isp]) => ({
            value: String(id),
            label: id === 0 ? report.others : isp || String(id),
          }))
        : [],
    idLink:
      isOfLinks && figure.idLink === undefined
        ? links.map(({ idLink, url }) => ({ value: String(idLink), label: url }))
        : [],
  };
  const { ids: _ids, ...others } = limits;
  const choose = {
    ids: (value: string) => set(value === '' ? others : { ...others, ids: value.split(' ').map(Number) }),
    idFai: (value: string) => set(withNumber(limits, 'idFai', value)),
    idLink: (value: string) => set(withNumber(limits, 'idLink', value)),
  };
  const names = ['ids', 'idFai', 'idLink'] as const;
  const shown = names.filter((name) => choices[name].length > 1);
  if (shown.length === 0) return null;
  return (
    <div className="people-limits">
      {shown.map((name) => (
        <NativeSelect
          key={name}
          aria-label={report.limits[name].label}
          value={name === 'ids' ? (limits.ids?.join(' ') ?? '') : String(limits[name] ?? '')}
          onChange={(event) => choose[name](event.currentTarget.value)}
          data={[{ value: '', label: report.limits[name].any }, ...choices[name]]}
        />
      ))}
    </div>
  );
}

/** The limits with another number, or without it for an empty text. */
function withNumber(limits: PeopleLimits, name: 'idFai' | 'idLink', value: string): PeopleLimits {
  const { [name]: _, ...others } = limits;
  return value === '' ? others : { ...others, [name]: Number(value) };
}
