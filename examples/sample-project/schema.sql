create table orders (id integer primary key, customer text not null, total real);
select o.customer, sum(o.total) from orders o where o.total > 0 group by o.customer order by 2 desc;
