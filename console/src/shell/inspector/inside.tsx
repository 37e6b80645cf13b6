import { useLocation } from '@tanstack/react-router';
import { useState, useSyncExternalStore } from 'react';
import type { Request } from '../../api/programs/curl.ts';
import { type Program, programNames, programs } from '../../api/programs/programs.ts';
import { requests } from '../../api/requests.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Choose } from '../../ui/field.tsx';
import { Json } from '../../ui/json.tsx';
import { Unfold } from '../../ui/unfold.tsx';
import { useWords } from '../../words/words.tsx';
import { Opened } from './opened.tsx';

export default function Inside() {
  const { publicHref } = useLocation();
  const page = new URL(publicHref, location.origin).pathname;
  const mine = useSyncExternalStore(requests.subscribe, requests.all).filter((one) => one.page === page);
  return (
    <>
      <Opened page={page} />
      <Requests asked={mine} />
    </>
  );
}

const kept = 'godwit.program';
const chosen = (): Program => programNames.find((name) => name === localStorage.getItem(kept)) ?? 'curl';

function Requests({ asked }: { asked: Request[] }) {
  const words = useWords().inspector;
  const [program, setProgram] = useState(chosen);
  const choose = (name: string) => {
    localStorage.setItem(kept, name);
    setProgram(chosen);
  };
  return (
    <section className="grid gap-2">
      <h3 className="font-semibold">{words.requests}</h3>
      <p className="text-sm text-quiet">{words.help}</p>
      <Choose
        label={words.program}
        value={program}
        choices={programNames.map((value) => ({ value, label: programs[value].name }))}
        onChange={({ target }) => choose(target.value)}
      />
      {asked.length === 0 && <p>{words.none}</p>}
      <ol className="grid gap-2">
        {asked.map((one) => (
          <li key={one.id} data-request={`${one.method} ${one.path.split('?')[0]}`}>
            <Unfold label={`${one.method} ${one.path} ${one.status ?? words.unanswered}`}>
              {() => {
                const text = programs[program].write(one, location.origin);
                return (
                  <>
                    <Json value={text} />
                    <CopyButton className="mt-2" label={words.copy} text={text} />
                  </>
                );
              }}
            </Unfold>
          </li>
        ))}
      </ol>
    </section>
  );
}
