# samples/spring-shop. From the root of the checkout:
#   docker build -t tutti-shop:0.1.0 -f deploy/docker/shop.Dockerfile .
FROM eclipse-temurin:25-jdk AS build
RUN apt-get update && apt-get install -y --no-install-recommends maven && rm -rf /var/lib/apt/lists/*
WORKDIR /src
COPY . .
RUN ./tutti build -pl samples/spring-shop -am

FROM eclipse-temurin:25-jre
COPY --from=build /src/samples/spring-shop/target/lib /opt/shop/lib
COPY --from=build /src/samples/spring-shop/target/spring-shop.jar /opt/shop/lib/
USER 10001:10001
ENTRYPOINT ["java", "--enable-native-access=ALL-UNNAMED", "-cp", "/opt/shop/lib/*", "shop.Shop"]
