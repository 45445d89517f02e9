import { Button } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useRef } from 'react';
import { Empty, Failed, Loading } from '../parts/states.tsx';
import { useIsPhone } from '../parts/use-is-phone.ts';
import { useWords } from '../words/words.tsx';
import { PictureCard } from './picture-card.tsx';
import { pageSize, useFavourites, usePictureCampaigns, usePicturePages } from './pictures.ts';
import type { PictureSearch } from './routes.ts';
import { useGridWindow } from './use-window.ts';
import { useLibraryWords } from './words.ts';

const gap = 16;
/** Below a picture: its name, what is known about the file, and how many campaigns show it. */
const textHeight = 80;
const heightOf = (width: number) => Math.round(width * 0.75) + textHeight;

/** The pictures that a search finds, of which only those near the screen are read and drawn. */
export function PictureGrid({ search, clear }: PictureGridProps) {
  const { format } = useWords();
  const texts = useLibraryWords().pictures;
  const [first] = usePicturePages(search, [0]);
  const total = first?.data?.totalCount;
  if (first?.error && total === undefined)
    return (
      <section className="card">
        <Failed error={first.error} retry={() => void first.refetch()} />
      </section>
    );
  if (total === undefined) return <Loading rows={10} />;
  if (total === 0)
    return (
      <section className="card">
        <NothingShown search={search} clear={clear} />
      </section>
    );
  return (
    <>
      <p className="small text-3">{texts.count(format.count(total), format.isOne(total))}</p>
      {/* Another search begins at its top. */}
      <Cells key={JSON.stringify(search)} search={search} total={total} />
    </>
  );
}
interface PictureGridProps {
  readonly search: PictureSearch;
  readonly clear: () => void;
}

function NothingShown({ search, clear }: PictureGridProps) {
  const texts = useLibraryWords().pictures;
  const isNarrowed =
    search.search !== undefined || search.folder !== undefined || search.location !== undefined;
  if (!isNarrowed) return <Empty title={texts.empty} text={texts.emptyText} />;
  return (
    <Empty title={search.search ? texts.nothing(search.search) : texts.nothingHere}>
      <Button onClick={clear}>{texts.showAll}</Button>
    </Empty>
  );
}

function Cells({ search, total }: { readonly search: PictureSearch; readonly total: number }) {
  const texts = useLibraryWords().pictures;
  const grid = useRef<HTMLUListElement>(null);
  const isPhone = useIsPhone();
  const isNarrow = useMediaQuery('(max-width: 900px)', undefined, { getInitialValueInEffect: false });
  const columns = isPhone ? 2 : isNarrow ? 3 : 4;
  const { rows, rowHeight, first, end } = useGridWindow(grid, total, { columns, gap, heightOf });
  const [from, to] = [first * columns, Math.min(total, end * columns)];
  const firstPage = Math.floor(from / pageSize);
  const pages = Array.from(
    { length: Math.max(1, Math.ceil(to / pageSize) - firstPage) },
    (_, index) => firstPage + index,
  );
  const read = usePicturePages(search, pages);
  const favourites = useFavourites().data;
  const campaigns = usePictureCampaigns(read.map(({ data }) => data?.items));
  return (
    <ul
      ref={grid}
      className="picture-grid"
      aria-label={texts.title}
      style={{ height: Math.max(0, rows * rowHeight - gap) }}
    >
      {Array.from({ length: Math.max(0, to - from) }, (_, offset) => {
        const index = from + offset;
        const picture = read[Math.floor(index / pageSize) - firstPage]?.data?.items[index % pageSize];
        return (
          <li
            key={picture ? `p${picture.idPicture}` : index}
            aria-setsize={total}
            aria-posinset={index + 1}
            style={{
              top: Math.floor(index / columns) * rowHeight,
              left: `calc((100% + ${gap}px) / ${columns} * ${index % columns})`,
              width: `calc((100% + ${gap}px) / ${columns} - ${gap}px)`,
              height: rowHeight - gap,
            }}
          >
            {picture ? (
              <PictureCard
                picture={picture}
                nbCampaigns={campaigns.get(picture.idPicture)}
                isFavourite={favourites?.has(picture.idPicture) ?? false}
                isArchived={search.location === 'Archives'}
              />
            ) : (
              <div className="shape" style={{ height: '100%' }} />
            )}
          </li>
        );
      })}
    </ul>
  );
}
