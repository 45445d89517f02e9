import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { accepted, useDrop, useTakeFile } from '../imports/take-file.tsx';
import { Uploading } from '../imports/uploading.tsx';
import { ChooseFile } from '../parts/choose-file.tsx';
import { useSite } from '../session/session.tsx';
import { useWords } from '../words/words.tsx';
import { ensureEveryone } from './everyone.ts';

/** Takes a file of people by drop or choice, and leads to the other imports. When a file is uploaded, the target of all people is made. */
export function PeopleFile() {
  const { words } = useWords();
  const { imports } = words;
  const { people } = words.overview;
  const site = useSite();
  const queries = useQueryClient();
  const { take, uploading, error } = useTakeFile(undefined, async () => {
    await ensureEveryone(site.name, people.target);
    void queries.invalidateQueries({ queryKey: ['everyone', site.name] });
  });
  const isOver = useDrop(take);
  return (
    <div className="people-file" data-over={isOver || undefined}>
      <p className="small text-2">{imports.drop}</p>
      <ChooseFile
        accept={accepted}
        take={([file]) => void take(file)}
        size="xs"
        loading={uploading !== undefined}
      >
        {imports.choose}
      </ChooseFile>
      <Link className="link small" to="/$site/imports" params={{ site: site.name }}>
        {people.imports}
      </Link>
      {uploading && <Uploading upload={uploading} />}
      <p className="small" role="status">
        {error !== '' && <span className="red">{error}</span>}
      </p>
    </div>
  );
}
