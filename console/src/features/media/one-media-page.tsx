// One file: what it is, what was found in it, and how it looks.
import type { Media } from '@godwit/sdk';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { Asked } from '../../shell/asked.tsx';
import { DeleteButton } from '../../shell/delete-button.tsx';
import { useAskEveryMs } from '../../shell/live.tsx';
import { useWorkspace } from '../../shell/workspace.tsx';
import { buttonClass } from '../../ui/button.tsx';
import { type Fact, Facts } from '../../ui/facts.tsx';
import { PageHead } from '../../ui/page-head.tsx';
import { Panel } from '../../ui/panel.tsx';
import { useResourceWords } from '../../words/resources/words.ts';
import { useFormats } from '../../words/words.tsx';
import { Size } from './media-page.tsx';
import { MediaStatus } from './status.tsx';

const isMoving = ({ status }: Media) => status === 'PENDING' || status === 'SCANNING';

export function OneMediaPage() {
  const { media: sid } = useParams({ from: '/$environment/$account/media/$media' });
  const { api, can } = useWorkspace();
  const askEveryMs = useAskEveryMs();
  return (
    <Asked
      name={['media', sid]}
      load={() => api.media.get(sid)}
      againMs={(media) => isMoving(media) && askEveryMs}
    >
      {(media) => (
        <div className="grid gap-4">
          <PageHead title={media.filename ?? sid}>{can('deleteMedia') && <Delete sid={sid} />}</PageHead>
          <div className="grid items-start gap-4 lg:grid-cols-2">
            <What media={media} />
            {media.status === 'READY' && can('getMediaContent') && <Look media={media} />}
          </div>
        </div>
      )}
    </Asked>
  );
}

function What({ media }: { media: Media }) {
  const words = useResourceWords().media;
  const { time } = useFormats();
  const { mimeType, declaredMime, sizeBytes, sha256, sourceUrl, scan } = media;
  const told = (name: string, value: string | null): Fact[] => (value ? [[name, value]] : []);
  return (
    <Panel title={words.facts}>
      <Facts
        facts={[
          [words.sid, <code key="sid">{media.sid}</code>],
          [words.status, <MediaStatus key="status" status={media.status} />],
          [words.sendable, media.sendable ? words.yes : words.no],
          ...told(words.type, mimeType ?? declaredMime),
          ...(sizeBytes === null ? [] : [[words.size, <Size key="size" bytes={sizeBytes} />] as const]),
          ...told(words.scanner, scan.scanner),
          ...told(words.source, sourceUrl),
          ...(sha256 ? [[words.hash, <code key="hash">{sha256}</code>] as const] : []),
          [words.since, time(media.createdAt)],
          [words.expires, time(media.expiresAt)],
        ]}
      />
      <ul className="mt-3 grid gap-1 text-bad">
        {scan.reasons.map(({ code, message }) => (
          <li key={code} className="wrap-anywhere">
            <code>{code}</code> {message}
          </li>
        ))}
      </ul>
    </Panel>
  );
}

/** The content itself, which is shown only where it is a picture, and can be kept otherwise. */
function Look({ media: { sid, filename, mimeType } }: { media: Media }) {
  const words = useResourceWords().media;
  const { api } = useWorkspace();
  return (
    <Panel title={words.look}>
      <Asked name={['media-contents', sid]} load={async () => (await api.media.getContent(sid)).blob()}>
        {(blob) => (
          <Shown blob={blob} name={filename ?? sid} isPicture={mimeType?.startsWith('image/') ?? false} />
        )}
      </Asked>
    </Panel>
  );
}

function Shown({ blob, name, isPicture }: { blob: Blob; name: string; isPicture: boolean }) {
  const words = useResourceWords().media;
  const [url, setUrl] = useState<string | null>(null);
  useEffect(() => {
    const made = URL.createObjectURL(blob);
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [blob]);
  if (!url) return null;
  return (
    <div className="grid justify-items-start gap-3">
      {isPicture && <img src={url} alt={name} className="max-h-96 max-w-full rounded" />}
      <a href={url} download={name} className={buttonClass()}>
        {words.keep}
      </a>
    </div>
  );
}

function Delete({ sid }: { sid: string }) {
  const words = useResourceWords().media;
  const { api, here } = useWorkspace();
  const navigate = useNavigate();
  return (
    <DeleteButton
      name="media"
      label={words.remove}
      sure={words.removeSurely}
      remove={() => api.media.delete(sid)}
      onGone={() => navigate({ to: '/$environment/$account/media', params: here })}
    />
  );
}
