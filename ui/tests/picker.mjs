// Pointing at elements of the snapshot, as a person does with the mouse.

/** Waits for the snapshot and its outlines. */
export async function snapshotReady(page) {
  await page.waitForFunction(() => document.querySelector('iframe')?.contentDocument?.querySelector('[data-g]'));
  await page.waitForTimeout(100);
}

/** Where the n-th match of a selector stands in the window, scrolled into sight. */
export async function place(page, selector, n = 0) {
  return page.evaluate(
    ([selector, n]) => {
      const frame = document.querySelector('iframe');
      const element = frame.contentDocument.querySelectorAll(selector)[n];
      if (!element) throw new Error(`${selector} ${n} is not in the snapshot`);
      const box = element.getBoundingClientRect();
      const layer = document.querySelector('[role=application]');
      const pane = layer.parentElement.parentElement;
      const scale = layer.getBoundingClientRect().width / frame.clientWidth;
      pane.scrollTop = Math.max(0, box.y * scale - 60);
      const at = layer.getBoundingClientRect();
      return { x: at.x + (box.x + Math.min(box.width / 2, 40)) * scale, y: at.y + (box.y + box.height / 2) * scale };
    },
    [selector, n],
  );
}

/** Clicks an element of the snapshot and waits for the answer. */
export async function click(page, selector, n = 0) {
  const { x, y } = await place(page, selector, n);
  await page.mouse.move(x, y);
  const answered = page.waitForResponse((answer) => /\/previews\/[^/]+\/(generalise|list)$/.test(new URL(answer.url()).pathname) && answer.request().method() === 'POST');
  await page.mouse.click(x, y);
  await answered;
  await settled(page);
}

/** Waits until nothing is being read any more. */
export async function settled(page) {
  await page.waitForLoadState('networkidle').catch(() => {});
  await page.waitForTimeout(150);
}

/** The rows that stand below the snapshot, as text by column. */
export async function shownRows(page) {
  return page.evaluate(() => {
    const table = document.querySelector('section.rows table');
    if (!table) return [];
    const names = [...table.querySelectorAll('th')].map((cell) => {
      const plain = cell.cloneNode(true);
      for (const extra of plain.querySelectorAll('span')) extra.remove();
      return plain.textContent.trim();
    });
    return [...table.querySelectorAll('tbody tr')].map((row) => Object.fromEntries([...row.cells].map((cell, i) => [names[i], cell.textContent.trim()]).slice(1)));
  });
}
