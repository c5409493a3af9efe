import { createDatabase } from "../../sqlite/direct.ts";

const SERIES = (last: number): string =>
  `WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < ${last})`;

/** Fifteen tables and a view that hang together by foreign keys, with 200,000 rows. */
export const createShopDatabase = (file: string): string =>
  createDatabase(
    file,
    `CREATE TABLE countries (code TEXT PRIMARY KEY, name TEXT NOT NULL) WITHOUT ROWID;
     CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT NOT NULL, email TEXT UNIQUE, country TEXT REFERENCES countries, since TEXT);
     CREATE TABLE addresses (id INTEGER PRIMARY KEY, customer_id INT NOT NULL REFERENCES customers ON DELETE CASCADE, city TEXT, street TEXT);
     CREATE TABLE categories (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, parent_id INT REFERENCES categories);
     CREATE TABLE suppliers (id INTEGER PRIMARY KEY, name TEXT NOT NULL, country TEXT REFERENCES countries);
     CREATE TABLE products (id INTEGER PRIMARY KEY, sku TEXT NOT NULL UNIQUE, name TEXT, price REAL CHECK (price > 0), category_id INT REFERENCES categories, supplier_id INT REFERENCES suppliers);
     CREATE TABLE stock (product_id INT REFERENCES products, warehouse_id INT REFERENCES warehouses, quantity INT CHECK (quantity >= 0), PRIMARY KEY (product_id, warehouse_id)) WITHOUT ROWID;
     CREATE TABLE warehouses (id INTEGER PRIMARY KEY, city TEXT NOT NULL);
     CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INT NOT NULL REFERENCES customers, at TEXT NOT NULL, status TEXT CHECK (status IN ('new', 'paid', 'sent', 'back')));
     CREATE TABLE order_items (id INTEGER PRIMARY KEY, order_id INT NOT NULL REFERENCES orders, product_id INT NOT NULL REFERENCES products, quantity INT NOT NULL CHECK (quantity > 0), price REAL NOT NULL);
     CREATE TABLE payments (id INTEGER PRIMARY KEY, order_id INT NOT NULL REFERENCES orders, amount REAL, paid_at TEXT);
     CREATE TABLE shipments (id INTEGER PRIMARY KEY, order_id INT NOT NULL REFERENCES orders, sent_at TEXT, carrier TEXT);
     CREATE TABLE reviews (id INTEGER PRIMARY KEY, product_id INT REFERENCES products, customer_id INT REFERENCES customers, stars INT CHECK (stars BETWEEN 1 AND 5), words TEXT);
     CREATE TABLE coupons (code TEXT PRIMARY KEY, percent INT CHECK (percent BETWEEN 1 AND 90));
     CREATE TABLE returns (id INTEGER PRIMARY KEY, order_item_id INT REFERENCES order_items, reason TEXT);
     CREATE VIEW revenue AS SELECT o.at, i.quantity * i.price AS amount FROM orders o JOIN order_items i ON i.order_id = o.id;
     CREATE INDEX items_of_order ON order_items (order_id);
     INSERT INTO countries VALUES ('DE', 'Germany'), ('FR', 'France'), ('US', 'United States');
     INSERT INTO customers ${SERIES(5000)} SELECT x, 'Customer ' || x, 'c' || x || '@example.com', CASE x % 3 WHEN 0 THEN 'DE' WHEN 1 THEN 'FR' ELSE 'US' END, date('2024-01-01', (x % 700) || ' days') FROM n;
     INSERT INTO categories VALUES (1, 'Home', NULL), (2, 'Garden', 1), (3, 'Kitchen', 1);
     INSERT INTO suppliers VALUES (1, 'Acme', 'US'), (2, 'Müller', 'DE');
     INSERT INTO products ${SERIES(500)} SELECT x, 'SKU' || x, 'Product ' || x, 1 + x % 90, 1 + x % 3, 1 + x % 2 FROM n;
     INSERT INTO warehouses VALUES (1, 'Berlin'), (2, 'Lyon');
     INSERT INTO stock SELECT p.id, w.id, p.id % 40 FROM products p, warehouses w;
     INSERT INTO orders ${SERIES(60_000)} SELECT x, 1 + x * 7 % 5000, datetime('2025-01-01', (x % 500) || ' days'), CASE x % 4 WHEN 0 THEN 'new' WHEN 1 THEN 'paid' WHEN 2 THEN 'sent' ELSE 'back' END FROM n;
     INSERT INTO order_items ${SERIES(120_000)} SELECT x, 1 + x % 60000, 1 + x * 13 % 500, 1 + x % 5, 1 + x % 90 FROM n;
     INSERT INTO payments ${SERIES(13_000)} SELECT x, x, x % 100, date('2025-02-01', (x % 400) || ' days') FROM n;
     UPDATE customers SET email = ' ' || upper(email) WHERE id % 1000 = 7;`,
  );
