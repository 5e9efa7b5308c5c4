export default async function Item({ params, searchParams }) {
  const { id } = await params;
  const { q } = await searchParams;
  return (
    <p>
      item {id} for {q}
    </p>
  );
}
